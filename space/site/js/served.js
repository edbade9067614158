// Whether a server answers that takes submissions. One that does writes this file itself.
"use strict";
SHELF.served = false;

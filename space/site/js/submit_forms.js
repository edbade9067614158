// Forms of what can be sent: a run, or the name of a model; and signing in.
"use strict";
(() => {
  const { element, notice } = SHELF;
  const MEBIBYTE = 2 ** 20;

  /** What is said of something that was taken. */
  function takenNotice(found, service) {
    if (found.pull_request) {
      return notice(
        "done",
        element(
          "p",
          null,
          found.known
            ? "These files are proposed already: "
            : "The scores follow from the items. The run is proposed as ",
          element("a", { href: safe(found.pull_request) }, "a pull request"),
          ".",
        ),
        element(
          "p",
          null,
          "A maintainer of the results repository decides on it there; close it to take the run back.",
        ),
      );
    }
    const own = found.submission;
    const words = {
      unverified:
        "The scores follow from the items. The run joins the table in a moment, as unverified.",
      received: `The scores follow from the items. A maintainer looks at the run first: ${own.flags.join("; ")}.`,
      queued: "The model waits for a worker. Where it stands is in the list below.",
    };
    if (found.code) SHELF.keepCode(own.id, found.code);
    return notice(
      "done",
      element(
        "p",
        null,
        element("b", null, SHELF.submissionName(own)),
        ": ",
        found.known
          ? `it was here before; ${SHELF.stateSentence(own.state)}.`
          : (words[own.state] ?? `${SHELF.stateSentence(own.state)}.`),
      ),
      found.code && codeNode(found.code),
      element("p", null, element("a", { href: SHELF.submissionLink(own) }, "What becomes of it")),
    );
  }

  function codeNode(code) {
    return element(
      "p",
      null,
      "Your code is ",
      element("code", { class: "code" }, code),
      ". Only with it can you withdraw what you sent. It is shown this once: write it down.",
    );
  }

  function safe(address) {
    return /^https?:\/\//.test(address) ? address : null;
  }

  function runForm(service, changed) {
    const file = element("input", {
      type: "file",
      id: "archive",
      accept: ".zip,application/zip",
      required: true,
    });
    const most = Math.floor(service.archive_bytes / MEBIBYTE);
    return element(
      "section",
      { "aria-labelledby": "send-run" },
      element("h2", { id: "send-run" }, "Send a run"),
      element(
        "p",
        null,
        "The archive that ",
        element("code", null, "shelf pack"),
        ` made, up to ${most} MiB. `,
        service.releases.length ? `Taken are runs on ${SHELF.listed(service.releases)}.` : "",
      ),
      service.results && !service.user
        ? element(
            "p",
            null,
            "It is sent in your name, as a pull request to the repository ",
            element("code", null, service.results),
            ". Sign in first.",
          )
        : SHELF.sendingForm(
            "Check and send it",
            "It is being sent and checked. That takes from seconds to minutes.",
            [SHELF.labelled("Archive", file)],
            async () => {
              const [archive] = file.files;
              if (archive.size > service.archive_bytes)
                throw new Error(
                  `The archive has ${Math.ceil(archive.size / MEBIBYTE)} MiB; at most ${most} MiB are taken`,
                );
              const found = await SHELF.askZip("runs", archive);
              // What was chosen meanwhile is the next to be sent, and stays.
              if (file.files[0] === archive) file.value = "";
              changed(found.submission);
              return takenNotice(found, service);
            },
          ),
    );
  }

  function modelForm(service, changed) {
    const name = element("input", {
      type: "text",
      id: "model-name",
      required: true,
      maxlength: "300",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: "owner/name",
    });
    return element(
      "section",
      { "aria-labelledby": "ask-model" },
      element("h2", { id: "ask-model" }, "Ask for a model"),
      element(
        "p",
        null,
        "A public model of the Hub, with weights as safetensors, of an architecture that needs no code of its own. A worker evaluates it when its turn comes.",
      ),
      SHELF.sendingForm(
        "Put it into the queue",
        "It is being put into the queue.",
        [
          SHELF.labelled(
            "Model",
            name,
            "owner/name, or owner/name@ and the forty digits of a commit",
          ),
        ],
        async () => {
          const model = name.value;
          const found = await SHELF.askJson("models", { model });
          if (name.value === model) name.value = "";
          changed(found.submission);
          return takenNotice(found, service);
        },
      ),
    );
  }

  function signing(service) {
    if (!service.sign_in) return null;
    if (service.user) {
      return element(
        "p",
        null,
        "You are signed in as ",
        element("b", null, service.user),
        ". ",
        element(
          "a",
          { href: SHELF.address("logout", { _target_url: "/submit.html" }) },
          "Sign out",
        ),
      );
    }
    // A frame of another site gets no cookies in most browsers.
    const apart = window.top === window ? {} : { target: "_blank", rel: "noopener" };
    return element(
      "p",
      null,
      element(
        "a",
        { href: SHELF.address("login/huggingface", { _target_url: "/submit.html" }), ...apart },
        "Sign in with Hugging Face",
      ),
      service.store ? " to send in your name, or send without a name." : ".",
    );
  }

  Object.assign(SHELF, { runForm, modelForm, signing });
})();

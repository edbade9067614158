"""`python -m evaluate_shelf` is `shelf`."""

from evaluate_shelf.cli import main

if __name__ == "__main__":
    main()

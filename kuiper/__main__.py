"""`python -m kuiper` is the command `kuiper`."""

from kuiper.main import main

if __name__ == "__main__":
    main()

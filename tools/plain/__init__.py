"""Plain Markdown, as Jupyter, VS Code and Colab show it, from the book's MyST Markdown."""


class Fault(Exception):
    """What has no plain form: (line of the text, counted from 0, what and what to do)."""

    def __init__(self, line, message):
        super().__init__(line, message)
        self.line, self.message = line, message

    def below(self, line):
        """The same in a text that this one is a part of, where it starts in a line."""
        return Fault(self.line + line, self.message)

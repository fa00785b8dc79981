"""What a second build in the same process need not do again."""
from tools import chapter, execute


class Memory:
    """The chapters and executed notebooks of the last build, as long as they hold."""

    def __init__(self):
        self._chapters, self._tasks = {}, {}

    def chapters(self, asked=None):
        """The chapters by name, all or those asked for; raises `chapter.ChapterError`."""
        for name in chapter.names():
            saved = (chapter.CHAPTERS / f'{name}.md').stat().st_mtime_ns
            if (not asked or name in asked) and self._chapters.get(name, [None])[0] != saved:
                self._chapters[name] = saved, chapter.load(name)
        found = {name: self._chapters[name][1] for name in chapter.names()
                 if not asked or name in asked}
        for loaded in found.values():
            chapter.check_filled(loaded)
        return found

    def plan(self, chapters, environments, backends, settings):
        """What to execute: every chapter on every framework that is there.

        Args:
            chapters: name -> chapter.
            environments: backend module -> environment.
            backends: rows of the table of backends.
            settings: an `execute.Settings`.
        """
        tasks = []
        for name, loaded in chapters.items():
            for row in backends:
                if row.module in environments:
                    before, task = self._tasks.get((name, row.module), (None, None))
                    if before is not loaded or not execute.holds(task, settings):
                        task = execute.Task(name, row, environments[row.module],
                                            chapter.notebook_for(loaded, row))
                    tasks.append(task)
        self._tasks = {(task.chapter, task.backend.module): (chapters[task.chapter], task)
                       for task in tasks}
        return tasks

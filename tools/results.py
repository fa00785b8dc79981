"""What test runs gave, and the summary that ends them."""
from __future__ import annotations

import xml.etree.ElementTree
from dataclasses import dataclass, field

TAIL = 15  # lines of a failure that are shown


@dataclass
class Results:
    """Of one test run.

    Args:
        title: of its line in the summary.
        passed: how many tests.
        failed: pairs of a test's name and the end of what it said.
        skipped: pairs of a test's name and the reason.
        seconds: that the run took.
    """
    title: str
    passed: int = 0
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)
    seconds: float = 0.0

    @property
    def count(self):
        return self.passed + len(self.failed) + len(self.skipped)


def tail(text):
    """The last lines of a text."""
    return '\n'.join(text.rstrip().splitlines()[-TAIL:])


def read_junit(path, results):
    """Add what pytest wrote to a file; nothing where it did not get as far as writing one."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (FileNotFoundError, xml.etree.ElementTree.ParseError):
        return
    for case in root.iter('testcase'):
        name = '::'.join(filter(None, (case.get('classname'), case.get('name'))))
        broken = [*case.findall('failure'), *case.findall('error')]
        if broken:
            results.failed.append((name, tail(broken[0].text or broken[0].get('message', ''))))
        elif case.find('skipped') is not None:
            results.skipped.append((name, case.find('skipped').get('message', 'no reason given')))
        else:
            results.passed += 1


def show(all_results, console):
    """Print the summary: failures, skips, a table, and one plain line that counts all."""
    from rich.table import Table
    from rich.text import Text

    for results in all_results:
        said = {}
        for name, text in results.failed:
            console.print(Text(f'\nFAILED  {results.title}  {name}', style='bold red'),
                          soft_wrap=True)
            # one broken fixture fails every test in the same words
            console.print(Text(f'as {said[text]}' if text in said else text), soft_wrap=True)
            said.setdefault(text, name)
    for results in all_results:
        for name, reason in results.skipped:
            console.print(Text(f'skipped  {results.title}  {name}: {reason}'), soft_wrap=True)
    table = Table('', *(title for title in ('passed', 'failed', 'skipped', 'seconds')))
    for column in table.columns[1:]:
        column.justify = 'right'
    for results in all_results:
        table.add_row(Text(results.title), str(results.passed), str(len(results.failed)),
                      str(len(results.skipped)), f'{results.seconds:.1f}')
    console.print(table)
    passed = sum(results.passed for results in all_results)
    failed = sum(len(results.failed) for results in all_results)
    skipped = sum(len(results.skipped) for results in all_results)
    print(f'{passed} passed, {failed} failed, {skipped} skipped', flush=True)
    return failed == 0

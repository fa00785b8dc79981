"""What can be wrong with a code cell, a group of cells or a tab set of a chapter."""
from d2lrnn import BACKENDS

from tools import prose

ALL = 'all'
TABS = tuple(backend.tab for backend in BACKENDS)
OPTIONS = ('tab', 'include', 'only', 'tags')


def faults(directive):
    """Yields (line, message) for all that would not come out as meant."""
    try:
        if directive.name == 'code-cell':
            if directive.parents:
                yield (directive.line, f'a {{code-cell}} inside {directive.parents[-1]} would be '
                       'dropped; close that first and put the cell on the outermost level')
            yield from _cell_faults(directive)
        elif directive.name == 'tab-set':
            yield from _tab_set_faults(directive)
    except prose.OptionsError as error:
        yield error.args


def _tab_set_faults(directive):
    synced = prose.is_synced(directive)
    for item in prose.tab_items(directive):
        sync = item.options.get('sync')
        if synced and sync not in TABS:
            yield (item.line, f'a tab with :sync: {sync}; expected one of {", ".join(TABS)}')
        if not synced and sync in TABS:
            yield (directive.line, f'a tab set with a tab for {sync} that the other tabs would not '
                   f'switch; give it :sync-group: {prose.SYNC_GROUP}')


def _cell_faults(directive):
    line, options = directive.line, directive.options
    valid = f'one of {", ".join((*TABS, ALL))}'
    for option in options:
        if option not in OPTIONS:
            yield (line, f'a cell with :{option}:; the options are {", ".join(OPTIONS)}')
    tab, tags = options.get('tab'), options.get('tags', [])
    if 'tab' not in options:
        yield (line, f'a cell without :tab:; expected {valid}')
    elif tab not in (*TABS, ALL):
        yield (line, f'a cell with :tab: {tab}; expected {valid}')
    for option in sorted({'include', 'only'} & set(options)):
        text = options[option]
        if not isinstance(text, str) or tab == ALL:
            yield (line, f'a cell with :tab: {tab} and :{option}: {text}; :{option}: needs a '
                   'text, and a tab of one framework')
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        yield (line, f'a cell with :tags: {tags}; expected a list such as [full-epochs]')
    if not directive.body.strip() and 'include' not in options:
        yield (line, 'an empty cell; give it code or an :include:')


def group_faults(group):
    """Yields (line, message) for a tab that is there twice, or missing without a reason."""
    tabs = [cell.tab for cell in group]
    for tab in dict.fromkeys(tabs):
        first, *others = (cell for cell in group if cell.tab == tab)
        for again in others:
            yield (again.line, f'a second {tab} cell in one group of tabs (the first is in line '
                   f'{first.line}); join the two, or put prose between the groups')
    missing = [tab for tab in TABS if tab not in tabs]
    for cell in group:
        if missing and not cell.only:
            yield (cell.line, f'a group of tabs without {", ".join(missing)}; add the missing '
                   'cells, or say in each cell why by :only: reason')
        if cell.only and not missing:
            yield (cell.line, 'a cell with :only: in a group that has every framework; remove '
                   'the option')

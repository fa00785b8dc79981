"""What the templates show around each page."""
import json

from d2lrnn import BACKENDS

from tools.site.choice import bar
from tools.site.tabs import ORDER

IN_HEAD, REPLACED = 'choice.js', 'design-tabs.js'


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f'{minutes} min {rest} s' if minutes else f'{seconds:.1f} s'


def context(app, pagename, templatename, context, doctree):
    """Adds to what Sphinx and tools/render.py hand to the templates."""
    scripts = {True: [], False: []}
    for script in context['script_files']:
        name = str(getattr(script, 'filename', script) or '').rpartition('/')[2]
        if name != REPLACED:
            scripts[name == IN_HEAD].append(script)
    context['head_scripts'], context['script_files'] = scripts[True], scripts[False]
    context['framework_bar'] = lambda name: bar(name, ORDER)
    notes = json.loads((context.get('meta') or {}).get('d2lrnn', '{}'))
    context['runs'] = [run | {'time': duration(run['seconds'])} if 'seconds' in run else run
                       for run in notes.get('runs', ())]


def setup(app):
    tabs = {name: row.tab for row in BACKENDS for name in (row.tab, row.module)}
    app.add_js_file(IN_HEAD, **{'data-tabs': json.dumps(tabs)})
    app.add_js_file('reveal.js')
    app.connect('html-page-context', context)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}

"""What a role shows in a chapter's notebook: numbers, titles and sources as in the book."""
from tools.myst import plain
from tools.prose import titled


class References:
    """Resolves the references of one chapter.

    Args:
        found: what tools/site/labels.py wrote.
        chapter: name of the chapter.
        others: names of the chapters that have a notebook beside this one.
    """

    def __init__(self, found, chapter, others):
        self.documents, self.labels = found['documents'], found['labels']
        self.sources, self.chapter, self.others = found['sources'], chapter, set(others)
        self.sections = self.documents.get(chapter, {}).get('sections', [])

    def role(self, name, content):
        """Markdown of a role, None where there is none, and the keys of the sources it cites."""
        content = ' '.join(content.split())
        if name in ('cite', 'cite:p', 'cite:t'):
            return self.cite(name, content)
        title, target = titled(content)
        if name == 'math':
            return f'${content}$', []
        if name == 'doc':
            target = target.lstrip('/')
            known = self.documents.get(target, {}).get('title')
            return self.link(plain(title or known or target), target), []
        if name not in ('ref', 'numref', 'eq'):
            return None, []
        label = self.labels.get(target)
        if label is None:  # of a chapter that this build leaves out
            return plain(title or target), []
        return self.link(plain(self.shown(name, title, label) or target), label['document']), []

    @staticmethod
    def shown(name, title, label):
        if name == 'eq' or (name == 'numref' and not title):
            return label['shown']
        if name == 'numref' and '{' in title:
            return title.format(number=label['number'], name=label['title'])
        if name == 'numref':
            return title.replace('%s', label['number'])
        return title or label['title']

    def link(self, text, document):
        """A text that leads to another chapter's notebook, where there is one."""
        other = document != self.chapter and document in self.others
        return f'[{text}]({document}.ipynb)' if other else text

    def cite(self, name, content):
        """Markdown of a citation, and the keys that the list of sources has."""
        keys = {key.strip() for key in content.split(',')}
        cited = [key for key in self.sources if key in keys]
        keys = [*cited, *sorted(keys - set(cited))]
        if name == 'cite:t':
            return ', '.join(self.sources.get(key, {}).get('named', '')
                             + f'[{self.source_link(key)}]' for key in keys), cited
        return f'[{", ".join(map(self.source_link, keys))}]', cited

    def source_link(self, key):
        if key not in self.sources:  # cited in no chapter that this build has
            return plain(key)
        source = self.sources[key]
        label = plain(source['label'])
        return f'[{label}]({source["address"]})' if source['address'] else label

    def number(self, heading):
        """Number of a heading of the chapter, '' for one without."""
        return self.sections[heading][0] if heading < len(self.sections) else ''

    def target(self, name):
        """What {numref} shows of a figure or a table, or {eq} of an equation; '' if unknown."""
        return self.labels.get(name, {}).get('shown', '')

    def tag(self, name):
        return self.labels.get(name, {}).get('number', '')

    def contents(self, entries):
        """List of chapters."""
        lines = []
        for entry in entries:
            about = self.documents.get(entry)
            if about:
                number = f'{about["number"]}. ' if about['number'] else ''
                lines.append(f'- {self.link(plain(number + about["title"]), entry)}')
        return '\n'.join(lines)

    def listed(self, keys=None):
        """List of sources: of these keys, or those that the book lists in this chapter."""
        return '\n'.join(
            f'- [{plain(source["label"])}] {" ".join(source["text"].split())}'
            for key, source in self.sources.items()
            if (source['document'] == self.chapter if keys is None else key in keys))

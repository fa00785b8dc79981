"""What recomputation saves and costs: peak memory and time of a step, with and without `remat`.

Each measurement has a process of its own. Its peak is the largest resident set while steps run at
full length, over what was resident after a step of a short sequence; Linux resets the mark on
request.
"""
import gc
import importlib
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

from d2lrnn.core import cost
from tools.studies.rows import report

NUM_STEPS, NUM_LAYERS, NUM_HIDDENS, BATCH_SIZE, STEPS = 1024, 4, 128, 64, 3
TABLE = (f'peak memory of a step in MB, and seconds: {NUM_STEPS} steps, {NUM_LAYERS} layers, '
         f'{NUM_HIDDENS} units, batch {BATCH_SIZE}')
CELLS, REMAT = ('RNN', 'GRU', 'LSTM'), 32
# So that what is freed goes back to the system at once: else the peak is that of the holes between
# tensors. It makes allocation slow, so that time is measured without.
EXACT = {'MALLOC_MMAP_THRESHOLD_': '16384'}


def main(backend):
    """Print a row for each cell."""
    for cell in CELLS:
        without, with_ = (_measured(backend, cell, remat) for remat in (None, REMAT))
        formula = 4 * cost.Stack(cell, NUM_HIDDENS, NUM_HIDDENS, NUM_LAYERS).activations(
            NUM_STEPS, BATCH_SIZE)
        if 'refused' in with_:
            report(TABLE, backend, cell=cell, formula=formula / 1e6, kept=without['bytes'] / 1e6)
            report('refused', backend, cell=cell, why=with_['refused'])
            continue
        report(TABLE, backend, cell=cell, formula=formula / 1e6, kept=without['bytes'] / 1e6,
               **{f'remat={REMAT}': with_['bytes'] / 1e6}, s_kept=without['seconds'],
               s_remat=with_['seconds'], memory=with_['bytes'] / without['bytes'],
               time=with_['seconds'] / without['seconds'])


def _measured(backend, cell, remat):
    """Return the bytes and the seconds of a step, or why the framework refuses."""
    command = [sys.executable, '-m', 'tools.studies.memory', backend, cell, json.dumps(remat)]
    exact, usual = (json.loads(subprocess.run(
        command, env={**os.environ, **more}, check=True, stdout=subprocess.PIPE,
        text=True).stdout.splitlines()[-1]) for more in (EXACT, {}))
    return {**exact, 'seconds': usual.get('seconds')}


def one(backend, cell, remat):
    """Print the peak and the seconds of one stack's step."""
    fw = importlib.import_module(f'tests.adapters.{backend}')
    inputs = np.random.default_rng(0).standard_normal((NUM_STEPS, BATCH_SIZE, NUM_HIDDENS))
    try:
        block = fw.d2l.RecurrentStack(NUM_HIDDENS, NUM_HIDDENS, NUM_LAYERS, cell, remat=remat)
    except NotImplementedError as error:
        print(json.dumps({'refused': str(error)}))
        return
    fw.step_function(block, inputs[:REMAT])()  # what a framework makes once is no activation
    step = fw.step_function(block, inputs)
    gc.collect()
    before, seconds = _kilobytes('VmRSS'), []
    with open('/proc/self/clear_refs', 'w', encoding='ascii') as file:
        file.write('5')  # the peak starts anew
    for _ in range(1 + STEPS):  # the first one compiles
        began = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - began)
    print(json.dumps({'bytes': 1024 * (_kilobytes('VmHWM') - before),
                      'seconds': statistics.median(seconds[1:])}))


def _kilobytes(name):
    with open('/proc/self/status', encoding='ascii') as file:
        return next(int(line.split()[1]) for line in file if line.startswith(f'{name}:'))


if __name__ == '__main__':
    if len(sys.argv) > 2:
        one(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
    else:
        main(sys.argv[1])

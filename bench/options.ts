// The benchmark's command line.
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '4' },
    'warm-up': { type: 'string', default: '5' },
    repeats: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    'shared-buffers': { type: 'string' },
    workers: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});

/**
 * `rows` live grants to fill in first, `seconds` for each measurement, `repeats` of it, `only` these operations, `workers`
 * as in WORKERS, `sharedBuffers` as PostgreSQL's shared_buffers. Warming up is long enough, and often enough, for V8 to
 * have compiled what is measured: it counts how often it has run a function.
 */
export const options = {
  rows: Number(values.rows),
  seconds: Number(values.seconds),
  warmUp: { seconds: Number(values['warm-up']), operations: 1_000 },
  repeats: Number(values.repeats),
  only: values.only.split(',').filter((name) => name !== ''),
  sharedBuffers: values['shared-buffers'],
  workers: values.workers,
  json: values.json,
};

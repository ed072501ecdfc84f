// The project's own files with their texts, for tests that hold the code as a whole to a rule.
import { spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';

/**
 * Every file of a pattern. Here alone a test globs, by an argument: a pattern that knip can read names entries to it, and it
 * looks for nothing dead in what an entry exports.
 */
export async function sources(pattern: string): Promise<[path: string, text: string][]> {
  const found: [string, string][] = [];
  for await (const path of glob(pattern))
    if (!path.includes('node_modules')) found.push([path, await readFile(path, 'utf8')]);
  return found.sort();
}

/** Whether a program is there; where it is not, says loudly what is therefore not tested. */
export function isInstalled(program: string, tested: string): boolean {
  const found = spawnSync('which', [program]).status === 0;
  if (!found) console.warn(`NOT TESTED: ${program} is not installed, so ${tested} goes untested.`);
  return found;
}

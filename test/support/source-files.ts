import { spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';

/** Tests call this instead of `glob` because knip treats glob patterns as entry points. */
export async function readSources(pattern: string): Promise<[path: string, text: string][]> {
  const sources: [string, string][] = [];
  for await (const path of glob(pattern))
    if (!path.includes('node_modules')) sources.push([path, await readFile(path, 'utf8')]);
  return sources.sort();
}

/**
 * Logs a warning if the program isn't installed.
 * @param tested the feature that needs the program
 */
export function isInstalled(program: string, tested: string): boolean {
  const isFound = spawnSync('which', [program]).status === 0;
  if (!isFound) console.warn(`NOT TESTED: ${tested}. ${program} is not installed.`);
  return isFound;
}

import { spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';

/** Tests must use this function instead of `glob` because knip would treat the pattern as entry points. */
export async function readSources(pattern: string): Promise<[path: string, text: string][]> {
  const sources: [string, string][] = [];
  for await (const path of glob(pattern))
    if (!path.includes('node_modules')) sources.push([path, await readFile(path, 'utf8')]);
  return sources.sort();
}

/**
 * Returns whether a program is installed. If it isn't, logs a warning. @param tested the feature that can't
 * be tested without the program
 */
export function isInstalled(program: string, tested: string): boolean {
  const isFound = spawnSync('which', [program]).status === 0;
  if (!isFound) console.warn(`NOT TESTED: ${tested}. ${program} is not installed.`);
  return isFound;
}

// Programs that some tests need from the machine.
import { spawnSync } from 'node:child_process';

/** Whether a program is there; where it is not, says loudly what is therefore not tested. */
export function isInstalled(program: string, tested: string): boolean {
  const found = spawnSync('which', [program]).status === 0;
  if (!found) console.warn(`NOT TESTED: ${program} is not installed, so ${tested} goes untested.`);
  return found;
}

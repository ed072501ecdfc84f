// Where the databases of tests lie: in memory where there is room, since nobody wants them back after a power cut. On a disk
// each of their hundreds costs twice as much.
import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Bytes. Those of a whole run take half of it. */
const ROOM = 4 * 2 ** 30;

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}

/** A new folder whose name begins so. Whoever makes it removes it. */
export const makeFastFolder = (name: string): string =>
  mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), name));

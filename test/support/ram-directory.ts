// Creates directories for test databases, in memory if possible.
import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RAM_DISK = '/dev/shm';
const REQUIRED_SPACE = 4 * 2 ** 30; // in bytes, twice what a full test run needs

function hasSpace(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= REQUIRED_SPACE;
  } catch {
    return false;
  }
}

export const makeTestDirectory = (name: string): string =>
  mkdtempSync(join(hasSpace(RAM_DISK) ? RAM_DISK : tmpdir(), name));

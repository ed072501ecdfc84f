// A file that is read twice and must not change in between.
import { type BigIntStats, constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { UnreadableFileError } from './source.ts';

const CHUNK_SIZE = 65_536;

export interface InputFile {
  /**
   * Reads the file from the beginning. Reading a chunk overwrites the previous chunk.
   * @throws UnreadableFileError if the file has changed since it was opened
   */
  chunks(): AsyncGenerator<Buffer>;
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** @throws UnreadableFileError if the path isn't a readable file */
export async function openInputFile(path: string): Promise<InputFile> {
  // Opening a named pipe without O_NONBLOCK would block.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new UnreadableFileError('file_not_opened', `${path} (${error.code})`);
    },
  );
  const original = await handle.stat({ bigint: true });
  const assertUnchanged = async () => {
    if (!isUnchanged(original, await handle.stat({ bigint: true })))
      throw new UnreadableFileError('file_changed', path);
  };

  async function* chunks(): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_SIZE);
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_SIZE, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    await assertUnchanged();
  }

  if (!original.isFile()) {
    await handle.close();
    throw new UnreadableFileError('file_irregular', path);
  }
  return { chunks, assertUnchanged, close: () => handle.close() };
}

/** Every write changes `ctime`, which programs can't set. */
const isUnchanged = (before: BigIntStats, after: BigIntStats): boolean =>
  before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs;

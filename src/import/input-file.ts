// A file that is read twice, and must not change in between.
import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { FileChangedError, UnreadableFileError } from './source.ts';

const CHUNK_SIZE = 65_536;

export interface InputFile {
  /**
   * Reads the file from the beginning. A chunk is overwritten by the next one.
   * @throws FileChangedError if the content differs from the first call's
   */
  chunks(): AsyncGenerator<Buffer>;
  /** @throws FileChangedError if the file has changed since it was opened */
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** @throws UnreadableFileError if the path isn't a readable file */
export async function openInputFile(path: string): Promise<InputFile> {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new UnreadableFileError(`Cannot open ${path} (${error.code}).`);
    },
  );
  const original = await handle.stat({ bigint: true });
  const changed = () =>
    new FileChangedError(
      `${path} changed while it was read. Accounts that were already imported remain. Run the import again.`,
    );
  const assertUnchanged = async () => {
    if (!isSame(original, await handle.stat({ bigint: true }))) throw changed();
  };
  let checkedDigest: string | undefined;

  async function* chunks(): AsyncGenerator<Buffer> {
    const digest = createHash('sha256');
    const buffer = Buffer.allocUnsafeSlow(CHUNK_SIZE);
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_SIZE, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const chunk = buffer.subarray(0, bytesRead);
      digest.update(chunk);
      yield chunk;
    }
    const found = digest.digest('hex');
    checkedDigest ??= found;
    if (found !== checkedDigest) throw changed();
    await assertUnchanged();
  }

  if (!original.isFile()) {
    await handle.close();
    throw new UnreadableFileError(`${path} is not a file. It is read twice, so it can't be a pipe.`);
  }
  return { chunks, assertUnchanged, close: () => handle.close() };
}

/** Every write changes `ctime`, which programs can't set. */
const isSame = (one: BigIntStats, other: BigIntStats): boolean =>
  one.size === other.size && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;

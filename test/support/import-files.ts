// Writes import files and reads their rows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openSource } from '../../src/import/open-source.ts';
import type { SourceFormat, SourceRow } from '../../src/import/source.ts';

export const FIXTURES = 'test/fixtures/import';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sesame-import-'));
  folders.push(folder);
  return folder;
}

export function writeImportFile(content: string | Buffer, name = 'users'): string {
  const path = join(createFolder(), name);
  writeFileSync(path, content);
  return path;
}

export const toJsonLines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export async function readRows(
  format: SourceFormat,
  path: string,
  options?: { hashConfig?: string },
): Promise<SourceRow[]> {
  const source = await openSource(format, path, options);
  try {
    return await collect(source.rows());
  } finally {
    await source.close();
  }
}

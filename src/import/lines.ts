// Splits a file into lines of bounded length.
import { isUtf8 } from 'node:buffer';
import { isObject, parseJson, parseJsonObject } from '../oauth/parse-json.ts';
import { assertFormat } from './assert-format.ts';
import { createRemark, type RefusalCode } from './row-remark.ts';
import { MAX_ROW_SIZE, type SourceFormat, type SourceRow, type UserConverter } from './source.ts';

const LINE_FEED = 0x0a;

type Line =
  | { row: number; text: string; refused?: never }
  | { row: number; text?: never; refused: RefusalCode };

/** Yields non-blank lines without line breaks. `node:readline` would hold a line of any length in memory. */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let row = 0;
  let parts: Buffer[] = [];
  let size = 0;
  const append = (part: Buffer) => {
    size += part.length;
    if (size <= MAX_ROW_SIZE) parts.push(part);
  };
  const finishLine = (): Line => {
    row += 1;
    const bytes = Buffer.concat(parts);
    const isTooLong = size > MAX_ROW_SIZE;
    [parts, size] = [[], 0];
    if (isTooLong) return { row, refused: 'too_long' };
    if (!isUtf8(bytes)) return { row, refused: 'not_utf8' };
    const text = bytes.toString();
    return { row, text: (row === 1 ? text.replace(/^\uFEFF/, '') : text).trim() };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      append(chunk.subarray(start, end));
      start = end + 1;
      const line = finishLine();
      if (line.text !== '') yield line;
    }
    append(Buffer.from(chunk.subarray(start))); // copied because the next chunk overwrites this one
  }
  const last = finishLine();
  if (last.text !== '') yield last;
}

/** @throws UnreadableFileError if `format` is given and a line has another format */
export async function* readJsonLines(
  chunks: AsyncIterable<Buffer>,
  convert: UserConverter,
  format?: SourceFormat,
): AsyncGenerator<SourceRow> {
  for await (const { row, text = '', refused } of readLines(chunks)) {
    const value = parseJson(text);
    if (format !== undefined) assertFormat(format, isObject(value) ? value : parseMember(text));
    if (isObject(value)) yield { row, ...convert(value) };
    else yield { row, refusals: [createRemark(refused ?? 'not_json')] };
  }
}

/** Parses a line of an indented JSON document, such as `"realm": "acme",`. */
const parseMember = (line: string): Record<string, unknown> =>
  parseJsonObject(`{${line.replace(/,$/, '')}}`) ?? {};

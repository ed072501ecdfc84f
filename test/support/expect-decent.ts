// What every answer to hostile input has in common.
import { expect } from 'vitest';
import { expectError, header } from './expect-error.ts';
import type { HttpAnswer } from './http-request.ts';

/** Forms of people: what is wrong with their fields is said on the page itself. */
const PAGE = /^\/(signin|signup|signout)(\?|$)/;

/** Below 500, and in D10's shape if it is a refusal. */
export function expectDecent(answer: HttpAnswer, what: string, path = '/oauth/'): void {
  expect(answer.status, what).toBeGreaterThanOrEqual(200);
  expect(answer.status, what).toBeLessThan(500);
  if (answer.status < 400 || answer.text === '') return;
  if (PAGE.test(path) && header(answer, 'content-type') === 'text/html; charset=utf-8') return;
  expectError(answer, answer.status, /"error":"(\w+)"/.exec(answer.text)?.[1] ?? what);
}

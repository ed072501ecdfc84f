// The one shape of a machine-facing error (D10), asserted whole.

import { expect } from 'vitest';
import { OAuthError } from '../../src/oauth/errors.ts';
import type { HttpAnswer } from './http-request.ts';

interface Answer {
  status: number;
  headers: Headers | Record<string, string | string[] | undefined>;
  text: string;
}

/** Asserts status, error code, headers and exactly the two members of D10; gives the description. */
export function expectError(answer: Answer, status: number, error: string): string {
  const body = asJson(answer.text);
  expect({ status: answer.status, error: body.error }, answer.text).toEqual({ status, error });
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  // RFC 6749 §5.2 allows these characters only.
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(body.error_description).not.toMatch(/\bat .*:\d|select |insert |\.ts\b|node_modules|FST_/);
  expect(header(answer, 'content-type')).toBe('application/json; charset=utf-8');
  expect(header(answer, 'cache-control')).toBe('no-store');
  expect(header(answer, 'pragma')).toBe('no-cache');
  return String(body.error_description);
}

/** A header of an answer, whichever client it came by. */
export function header({ headers }: Pick<Answer, 'headers'>, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return value === undefined ? null : String(value);
}

function asJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return { error: `not JSON: ${text.slice(0, 200)}` };
  }
}

/** @returns undefined if it throws none */
export function refusalOf(check: () => unknown): OAuthError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}

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

import { expect } from 'vitest';
import { OAuthError } from '../../src/oauth/errors.ts';
import type { HttpResponse } from './http-request.ts';

interface ErrorResponse {
  status: number;
  headers: Headers | Record<string, string | string[] | undefined>;
  text: string;
}

/** Asserts that the response is an OAuth error. Returns its description. */
export function expectError(response: ErrorResponse, status: number, error: string): string {
  const body = parseJson(response.text);
  expect({ status: response.status, error: body.error }, response.text).toEqual({ status, error });
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  // RFC 6749 §5.2 allows only these characters.
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(body.error_description).not.toMatch(/\bat .*:\d|select |insert |\.ts\b|node_modules|FST_/);
  expect(getHeader(response, 'content-type')).toBe('application/json; charset=utf-8');
  expect(getHeader(response, 'cache-control')).toBe('no-store');
  expect(getHeader(response, 'pragma')).toBe('no-cache');
  return String(body.error_description);
}

export function getHeader({ headers }: Pick<ErrorResponse, 'headers'>, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return value === undefined ? null : String(value);
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return { error: `not JSON: ${text.slice(0, 200)}` };
  }
}

export function catchOAuthError(check: () => unknown): OAuthError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}

const PAGE_PATH = /^\/(signin|signup|signout)(\?|$)/;

/** A 4xx response must be an OAuth error. On page paths, it must be an HTML page. */
export function expectNoServerError(response: HttpResponse, description: string, path = '/oauth/'): void {
  expect(response.status, description).toBeGreaterThanOrEqual(200);
  expect(response.status, description).toBeLessThan(500);
  if (response.status < 400 || response.text === '') return;
  if (PAGE_PATH.test(path) && getHeader(response, 'content-type') === 'text/html; charset=utf-8') return;
  expectError(response, response.status, /"error":"(\w+)"/.exec(response.text)?.[1] ?? description);
}

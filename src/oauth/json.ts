// JSON from outside, of whose shape nothing is known yet.

/** The value of a text; undefined where it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same where it is an object. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const parsed = jsonIn(text);
  return isObject(parsed) ? parsed : undefined;
}

// Every refusal: status, code and headers (contract §7; D10, D11, D18, D21, D25), fit for RFC 6749 §5.2.
import { expect, test } from 'vitest';
import * as errors from '../../src/oauth/errors.ts';

test('the cause is for the log: it is in no public member', () => {
  const error = errors.temporarilyUnavailable(new Error('select secret from somewhere'));
  expect(error.cause).toBeInstanceOf(Error);
  expect(JSON.stringify([error.error, error.description, error.headers, error.message])).not.toContain(
    'secret',
  );
});

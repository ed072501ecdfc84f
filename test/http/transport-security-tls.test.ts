// Own TLS speaks what RFC 9325 recommends and nothing else, whatever a client offers.

import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SelfSigned, selfSigned } from '../support/self-signed.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { isInstalled } from '../support/sources.ts';

describe.skipIf(!isInstalled('openssl', 'TLS suites'))('own TLS (RFC 9325 §4.2)', () => {
  // An RSA key: with another one nobody could exchange keys by RSA in any case.
  let certificate: SelfSigned;
  let service: TestService;
  beforeAll(async () => {
    certificate = await selfSigned('rsa');
    service = await startTestService({
      NODE_ENV: 'production',
      BASE_URL: 'https://signin.example.com',
      TLS_CERT_FILE: certificate.certFile,
      TLS_KEY_FILE: certificate.keyFile,
    });
  });
  afterAll(async () => {
    await service?.close();
    await certificate?.remove();
  });

  /** What a client that offers this gets: version and suite, or `refused`. */
  async function offering(ciphers: string, version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
    const { port } = service.parts.config;
    const options = { port, ca: certificate.cert, servername: 'localhost', ciphers };
    const socket = connect({ ...options, minVersion: version, maxVersion: version });
    try {
      await once(socket, 'secureConnect');
      return `${socket.getProtocol()} ${socket.getCipher().name}`;
    } catch (error) {
      // The server's own words, so that a client that could not offer this proves nothing.
      expect((error as NodeJS.ErrnoException).code).toMatch(/ALERT_HANDSHAKE_FAILURE|ALERT_PROTOCOL_VERSION/);
      return 'refused';
    } finally {
      socket.destroy();
    }
  }

  test.each(['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305'])(
    'TLS 1.2 with %s',
    async (suite) => {
      expect(await offering(suite, 'TLSv1.2')).toBe(`TLSv1.2 ${suite}`);
    },
  );

  test.each(['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])(
    'TLS 1.3 with %s',
    async (suite) => {
      expect(await offering(suite, 'TLSv1.3')).toBe(`TLSv1.3 ${suite}`);
    },
  );

  test.each([
    ['keys exchanged by RSA', 'AES128-GCM-SHA256'],
    ['keys exchanged by RSA', 'AES256-GCM-SHA384'],
    ['keys exchanged by RSA, CBC', 'AES128-SHA'],
    ['keys exchanged by RSA, CBC', 'AES256-SHA256'],
    ['CBC', 'ECDHE-RSA-AES128-SHA'],
    ['CBC', 'ECDHE-RSA-AES128-SHA256'],
    ['CBC', 'ECDHE-RSA-AES256-SHA384'],
  ])('refused: %s (%s)', async (_, suite) => {
    expect(await offering(suite, 'TLSv1.2')).toBe('refused');
  });

  test('refused: TLS 1.1', async () => {
    expect(await offering('DEFAULT@SECLEVEL=0', 'TLSv1.1')).toBe('refused');
  });
});

// TLS versions and cipher suites (RFC 9325).
import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createSelfSignedCertificate,
  type SelfSignedCertificate,
} from '../support/self-signed-certificate.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { isInstalled } from '../support/source-files.ts';

describe.skipIf(!isInstalled('openssl', 'TLS suites'))('the TLS port (RFC 9325 §4.2)', () => {
  // Use an RSA key because servers with other keys always refuse RSA key exchange.
  let certificate: SelfSignedCertificate;
  let service: TestService;
  beforeAll(async () => {
    certificate = await createSelfSignedCertificate('rsa');
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

  /** Returns the TLS version and cipher suite, or `refused`. */
  async function negotiate(ciphers: string, version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
    const { port } = service.services.config;
    const options = { port, ca: certificate.cert, servername: 'localhost', ciphers };
    const socket = connect({ ...options, minVersion: version, maxVersion: version });
    try {
      await once(socket, 'secureConnect');
      return `${socket.getProtocol()} ${socket.getCipher().name}`;
    } catch (error) {
      // These TLS alerts show that the server, not the client, refused the connection.
      expect((error as NodeJS.ErrnoException).code).toMatch(/ALERT_HANDSHAKE_FAILURE|ALERT_PROTOCOL_VERSION/);
      return 'refused';
    } finally {
      socket.destroy();
    }
  }

  test.each(['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305'])(
    'supports TLS 1.2 with %s',
    async (suite) => {
      expect(await negotiate(suite, 'TLSv1.2')).toBe(`TLSv1.2 ${suite}`);
    },
  );

  test.each(['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])(
    'supports TLS 1.3 with %s',
    async (suite) => {
      expect(await negotiate(suite, 'TLSv1.3')).toBe(`TLSv1.3 ${suite}`);
    },
  );

  test.each([
    ['RSA key exchange', 'AES128-GCM-SHA256'],
    ['RSA key exchange', 'AES256-GCM-SHA384'],
    ['RSA key exchange with CBC', 'AES128-SHA'],
    ['RSA key exchange with CBC', 'AES256-SHA256'],
    ['CBC', 'ECDHE-RSA-AES128-SHA'],
    ['CBC', 'ECDHE-RSA-AES128-SHA256'],
    ['CBC', 'ECDHE-RSA-AES256-SHA384'],
  ])('rejects %s (%s)', async (_, suite) => {
    expect(await negotiate(suite, 'TLSv1.2')).toBe('refused');
  });

  test('rejects TLS 1.1', async () => {
    expect(await negotiate('DEFAULT@SECLEVEL=0', 'TLSv1.1')).toBe('refused');
  });
});

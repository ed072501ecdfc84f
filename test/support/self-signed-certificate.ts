// Creates a self-signed certificate for localhost with openssl.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SelfSignedCertificate {
  certFile: string;
  keyFile: string;
  cert: string;
  remove(): Promise<void>;
}

export async function createSelfSignedCertificate(key: 'ec' | 'rsa' = 'ec'): Promise<SelfSignedCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'sesame-tls-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        ...(key === 'ec' ? ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'] : ['rsa:2048']),
        '-nodes',
        '-days',
        '2',
      ],
      ...['-keyout', keyFile, '-out', certFile, '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ],
    { stdio: 'pipe' },
  );
  return {
    certFile,
    keyFile,
    cert: await readFile(certFile, 'utf8'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

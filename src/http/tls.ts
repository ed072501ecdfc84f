// What the service speaks where it terminates TLS itself (RFC 9325).
import type { TlsOptions } from 'node:tls';

/**
 * TLS 1.3, and of TLS 1.2 what keeps a recorded connection secret for ever and is not open to padding oracles: ephemeral
 * keys with AES-GCM or ChaCha20 (§4.2). Never a key exchange by RSA, never CBC (§4.1).
 */
export const TLS_SETTINGS: TlsOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
};

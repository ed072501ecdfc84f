// Baseline server for benchmarks. Each route runs at most one SELECT, INSERT, signature or hash.
import {
  sign as cryptoSign,
  verify as cryptoVerify,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { promisify } from 'node:util';
import { hash } from '@node-rs/argon2';
import fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = fastify();
const sign = promisify(cryptoSign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;
const input = Buffer.from('payload of an id_token'.repeat(20));
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const verify = promisify(cryptoVerify) as (
  algorithm: string,
  data: Buffer,
  key: KeyObject,
  signature: Buffer,
) => Promise<boolean>;
const signature = cryptoSign('sha256', input, privateKey);
const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });

await pool.query(`create table if not exists baseline (id bytea primary key, value text not null)`);
const id = randomBytes(32);
await pool.query('insert into baseline (id, value) values ($1, $2)', [id, 'selected']);

app.get('/bare', async () => ({ value: 'bare' }));

app.get('/select', async () => {
  const { rows } = await pool.query({
    name: 'select',
    text: 'select value from baseline where id = $1',
    values: [id],
  });
  return rows[0];
});

app.get('/insert', async () => {
  const values = [randomBytes(32), 'inserted'];
  await pool.query({ name: 'insert', text: 'insert into baseline (id, value) values ($1, $2)', values });
  return { value: 'inserted' };
});

app.get('/rs256', async () => {
  await sign('sha256', input, key);
  return { value: 'signed' };
});

app.get('/es256', async () => {
  await verify('sha256', input, publicKey, signature);
  return { value: 'verified' };
});

app.get('/argon2id', async () => {
  await hash('a password of some length', { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  return { value: 'hashed' };
});

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.on('SIGTERM', () => process.exit(0));

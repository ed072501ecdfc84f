// Starts, kills and freezes a Redis server for a test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { findFreePort } from './service.ts';
import { waitUntil } from './wait-until.ts';

export interface TestRedis {
  url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** A frozen server accepts connections but doesn't respond. */
  freeze(): void;
  thaw(): void;
}

export async function createTestRedis(): Promise<TestRedis> {
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      child = spawn('redis-server', options, { stdio: 'ignore', cwd: tmpdir() });
      await waitUntil('Redis to respond', () => ping(port));
    },
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
  };
}

const ping = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (response) => {
      socket.destroy();
      resolve(response.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });

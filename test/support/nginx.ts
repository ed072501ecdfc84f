// Starts nginx with the configuration in docs/operations/multiple-processes.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './service.ts';
import { waitUntil } from './wait-until.ts';

export interface TestNginx {
  url: string;
  stop(): Promise<void>;
}

/** @param upstreams URLs of the processes. nginx chooses one at random. */
export async function startNginx(
  upstreams: string[],
  port: number | undefined = undefined,
): Promise<TestNginx> {
  const folder = await mkdtemp(join(tmpdir(), 'sesame-nginx-'));
  await chmod(folder, 0o755);
  const listenPort = port ?? (await findFreePort());
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  await writeFile(
    file,
    `daemon off;
worker_processes 2;
pid ${folder}/pid;
error_log stderr warn;
events { worker_connections 256; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  upstream sesame {
    random;
    ${upstreams.map((upstream) => `server 127.0.0.1:${new URL(upstream).port};`).join('\n    ')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${listenPort};
    location / {
      proxy_pass http://sesame;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
}
`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const url = `http://localhost:${listenPort}`;
  await waitUntil(
    () => `nginx to respond; its output:\n${output}`,
    () =>
      fetch(`http://127.0.0.1:${listenPort}/livez`).then(
        ({ status }) => status === 200,
        () => false,
      ),
  );
  return {
    url: url,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM'); // also stops the workers
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

// Starts nginx in front of several processes of the service, configured as in docs/operations/multiple-processes.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './service.ts';
import { until } from './until.ts';

export interface TestNginx {
  address: string;
  stop(): Promise<void>;
}

/** Needs `nginx`. @param upstreams addresses that it gives requests to at random; @param port where it listens */
export async function startNginx(
  upstreams: string[],
  port: number | undefined = undefined,
): Promise<TestNginx> {
  const folder = await mkdtemp(join(tmpdir(), 'sesame-nginx-'));
  await chmod(folder, 0o755);
  const own = port ?? (await freePort());
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
    ${upstreams.map((address) => `server 127.0.0.1:${new URL(address).port};`).join('\n    ')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${own};
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
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const address = `http://localhost:${own}`;
  await until(
    () => `nginx to answer; it said:\n${said}`,
    () =>
      fetch(`http://127.0.0.1:${own}/livez`).then(
        ({ status }) => status === 200,
        () => false,
      ),
  );
  return {
    address,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM'); // its workers end with it
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

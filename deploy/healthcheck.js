// The container's health check: asks the service beside it for /readyz, over TLS where the service speaks it itself.
import http from 'node:http';
import https from 'node:https';

const { PORT, TLS_CERT_FILE } = process.env;
const options = {
  host: '127.0.0.1',
  port: PORT || 3000,
  path: '/readyz',
  timeout: 4000,
  // The certificate is for the public name; this connection does not leave the container.
  rejectUnauthorized: false,
};

const request = (TLS_CERT_FILE ? https : http).get(options, ({ statusCode }) => {
  if (statusCode !== 200) end(`/readyz answers ${statusCode}`);
  process.exit(0);
});
request.on('timeout', () => end('/readyz does not answer'));
request.on('error', (error) => end(error.message));

function end(fault) {
  process.stderr.write(`unhealthy: ${fault}\n`);
  process.exit(1);
}

// Container health check. Requests /readyz, over TLS if the service terminates TLS.
import http from 'node:http';
import https from 'node:https';

const { PORT, TLS_CERT_FILE } = process.env;
const options = {
  host: '127.0.0.1',
  port: PORT || 3000,
  path: '/readyz',
  timeout: 4000,
  // The certificate doesn't name 127.0.0.1. The connection stays in the container.
  rejectUnauthorized: false,
};

const request = (TLS_CERT_FILE ? https : http).get(options, ({ statusCode }) => {
  if (statusCode !== 200) fail(`/readyz returned ${statusCode}`);
  process.exit(0);
});
request.on('timeout', () => fail('/readyz timed out'));
request.on('error', (error) => fail(error.message));

function fail(message) {
  process.stderr.write(`unhealthy: ${message}\n`);
  process.exit(1);
}

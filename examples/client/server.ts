// Owns the process: settings from the environment, listen, graceful close.
import { buildClient } from './app.ts';
import { readSettings } from './settings.ts';

function settingsOrExit(): ReturnType<typeof readSettings> {
  try {
    return readSettings(process.env);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(78);
  }
}

const { port, host, ...settings } = settingsOrExit();
const app = await buildClient({ ...settings, logger: true });

// a terminal's Ctrl-C may arrive twice: the second is not another closing
let closing = false;
async function close(): Promise<void> {
  if (closing) return;
  closing = true;
  await app.close();
}
process.on('SIGTERM', close);
process.on('SIGINT', close);

await app.listen({ port, host });
console.log(`Carnet: ${settings.baseUrl}`);

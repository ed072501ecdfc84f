// Starts the example client with settings from the environment.
import { buildClient } from './app.ts';
import { readSettings } from './settings.ts';

function readSettingsOrExit(): ReturnType<typeof readSettings> {
  try {
    return readSettings(process.env);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(78);
  }
}

const { port, host, ...settings } = readSettingsOrExit();
const app = await buildClient({ ...settings, logger: true });

// npm forwards Ctrl-C, so SIGINT may arrive twice.
let isClosing = false;
async function close(): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  await app.close();
}
process.on('SIGTERM', close);
process.on('SIGINT', close);

await app.listen({ port, host });
console.log(`Carnet: ${settings.baseUrl}`);

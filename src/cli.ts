// Entry point of the command line: `npm run sesame`, or `node src/cli.ts` in the image.
import { runCommand } from './cli/program.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
});

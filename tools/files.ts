// What each file owns, as its first lines say: npm run files, or npm run files -- 'src/store/*.ts' for some of them.
import { globSync, readFileSync } from 'node:fs';

const [pattern = 'src/**/*.{ts,js}'] = process.argv.slice(2);

for (const path of globSync(pattern).sort()) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const end = lines.findIndex((line) => !/^\/\//.test(line));
  const owns = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ''));
  process.stdout.write(`${path}  ${owns.join(' ')}\n`);
}

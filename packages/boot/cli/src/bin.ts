#!/usr/bin/env node
import { main } from './commands/program.ts';
import { endQuietlyOnClosedPipe } from './terminal/io.ts';

endQuietlyOnClosedPipe();
process.exitCode = await main(process.argv.slice(2));

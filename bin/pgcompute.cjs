#!/usr/bin/env node
require("./ready.cjs");
require("../dist/cli.cjs").main();

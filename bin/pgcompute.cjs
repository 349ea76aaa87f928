#!/usr/bin/env node
const bundle = require("./ready.cjs");

require(bundle("cli.cjs")).main();

#!/usr/bin/env node
require("../dist/emulator-cli.cjs");

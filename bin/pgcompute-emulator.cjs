#!/usr/bin/env node
require("../emulator/bin/pgcompute-emulator.cjs");

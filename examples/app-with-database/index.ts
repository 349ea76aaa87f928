import { Config, dynamic, type Input, type Output } from "@pulumi/pulumi";
import { Client } from "pg";
import { Endpoint } from "pulumi-pgcompute";

const config = new Config();

/** The migrations: each statement runs once, in order. Add new ones at the end, and never change one. */
const migrations = [
  "CREATE TABLE notes (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL)",
  "INSERT INTO notes (text) VALUES ('The database is there')",
];

const endpoint = new Endpoint("app", {
  projectId: config.require("projectId"),
  branchId: config.require("branchId"),
  sizeCu: config.getNumber("sizeCu") ?? 0.25,
});

interface SchemaInputs {
  host: string;
  /** Where the host name leads; absent where it resolves by itself. */
  address?: string;
  port: number;
  user: string;
  password?: string;
  database: string;
  migrations: string[];
}

// Runs on the machine that runs `pulumi up`, so that it may use any package of this program.
const schemaProvider: dynamic.ResourceProvider<SchemaInputs> = {
  create: async (inputs) => ({ id: "schema", outs: { ...inputs, ...(await migrate(inputs)) } }),
  update: async (_id, _olds, inputs) => ({ outs: { ...inputs, ...(await migrate(inputs)) } }),
};

/** Migrates the schema once the endpoint is there, before anything reads from it. */
class Schema extends dynamic.Resource {
  declare readonly latestNote: Output<string>;

  constructor(name: string, inputs: { [K in keyof SchemaInputs]: Input<SchemaInputs[K] | undefined> }) {
    super(schemaProvider, name, { latestNote: undefined, ...inputs });
  }
}

const schema = new Schema("schema", {
  host: endpoint.host,
  address: config.get("databaseAddress"),
  port: config.getNumber("databasePort") ?? 5432,
  user: config.get("databaseUser") ?? "postgres",
  password: config.getSecret("databasePassword"),
  database: config.get("database") ?? "postgres",
  migrations,
});

export const host = endpoint.host;
export const latestNote = schema.latestNote;

async function migrate({ host, address, port, user, password, database, migrations }: SchemaInputs) {
  // An idle endpoint wakes at the connection, which waits for it.
  const client = new Client({
    host: address ?? host,
    port,
    user,
    password,
    database,
    // At another address the name still tells the endpoint; the emulator's certificate is self-signed.
    ssl: { servername: host, rejectUnauthorized: address === undefined },
  });
  await client.connect();
  try {
    await client.query("CREATE TABLE IF NOT EXISTS migrations (position int PRIMARY KEY)");
    const { rows: done } = await client.query("SELECT count(*)::int AS count FROM migrations");
    for (let position = done[0].count; position < migrations.length; position++) {
      await client.query("BEGIN");
      await client.query(migrations[position] ?? "");
      await client.query("INSERT INTO migrations VALUES ($1)", [position]);
      await client.query("COMMIT");
    }
    const { rows } = await client.query("SELECT text FROM notes ORDER BY id DESC LIMIT 1");
    return { latestNote: String(rows[0]?.text) };
  } finally {
    await client.end();
  }
}

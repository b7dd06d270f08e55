// Sends the runs that the job's steps have not sent. It never fails the job.
const { spawnSync } = require("node:child_process");

const input = (name) => process.env["INPUT_" + name.toUpperCase()] || "";
const blq = input("blq");
if (blq) {
  const env = { ...process.env };
  for (const name of ["server", "token", "wait"]) env["BLQ_INPUT_" + name.toUpperCase()] = input(name);
  spawnSync(blq, ["action", "post"], { env, stdio: "inherit", timeout: 60000 });
}

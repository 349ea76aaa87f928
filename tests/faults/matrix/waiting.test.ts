import { holdMatrix } from "../support/matrix";
import { waiting } from "../support/subjects";

holdMatrix("waiting", waiting);

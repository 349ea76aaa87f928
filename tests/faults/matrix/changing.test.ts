import { holdMatrix } from "../support/matrix";
import { changing } from "../support/subjects";

holdMatrix("changing", changing);

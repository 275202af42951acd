"""The verbs: what a user can have done, one public function a file, each a sentence over core and ports."""
